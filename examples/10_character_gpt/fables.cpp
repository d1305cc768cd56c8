#include "text.hpp"

namespace tensorette::character_gpt {

std::string fables() {
  return R"(The fox and the grapes

A fox was hungry, and he saw a vine with ripe grapes. The grapes hung high on the wall. The fox
jumped, but he could not reach them. He ran and jumped again, and again he could not reach them. At
last he turned away and said: "The grapes are sour, and I do not want them."
It is easy to say no to what you cannot have.

The crow and the jug

A crow was thirsty, and she found a jug with a little water in it. The water stood low, and the neck
of the jug was long. The crow could not reach the water. Then she took a stone and let it fall into
the jug. She took another stone, and another, and with every stone the water came up a little. At
last the water stood high, and the crow could drink.
Little by little, a small stone can lift a lot of water.

The tortoise and the hare

A hare laughed at a tortoise because she was slow. "Let us run to the old tree," said the tortoise,
"and we will see who is there first." The hare ran away like the wind. When he looked back, he could
not see the tortoise. "There is time to sleep," he said, and he lay down in the grass. The tortoise
went on, step by step, and she did not stop. When the hare woke up, he ran like the wind, but the
tortoise sat under the old tree and said: "Here I am."
Who goes on, step by step, is there first.

The lion and the mouse

A lion lay in the grass and slept. A mouse ran over his nose, and the lion woke up. He took the mouse
and wanted to eat her. "Let me go," said the mouse, "and one day I will help you." The lion laughed,
because the mouse was so small, and he let her go. One day the lion ran into a net, and he could not
get away. The mouse came, and bit by bit she cut the net, and the lion was free.
No friend is so small that he cannot help.

The dog and the bone

A dog had a bone, and he went over a bridge. He looked down into the water and saw another dog with
another bone. "That bone is larger," he said, and he wanted to have it. He opened his mouth, and his
bone fell into the water. Then the other dog had no bone, and the dog on the bridge had none.
Who wants to have everything may go home with nothing.

The wind and the sun

The wind and the sun saw a man on the road. "Let us see who is stronger," said the wind. "Who makes
him take off his coat is the stronger one." The wind blew, and the man held his coat. The wind blew
again, and the man held his coat with both hands. Then the sun came out and smiled. It was warm, and
little by little it was hot, and the man took off his coat and lay down under a tree.
A smile can do what the wind cannot.

The frog and the ox

A small frog saw an ox by the water. "How large he is," said the small frog. "I can be as large as
he is," said the old frog, and she took a deep breath. "Am I as large as the ox?" she said. "No,"
said the small frog. She took another deep breath. "Am I as large as the ox?" she said. "No," said
the small frog, "and you will never be." The old frog took another deep breath, and another, and at
last she burst.
Be small and well, and let the ox be large.

The ant and the cricket

All summer the ant went to and fro and took grain into her house. All summer the cricket sat in the
sun and sang. "Why do you work?" said the cricket. "It is summer. Sit in the sun and sing." The ant
went on. When winter came, the cricket was cold and hungry. She came to the house of the ant and
said: "Let me in, and give me a little grain." "What did you do all summer?" said the ant. "All summer
I sang," said the cricket. "Then come in," said the ant, "and sing for me, and I will give you grain."
Work is good, and a song is good, and best of all is a house with both.

The goose and the golden eggs

A man had a goose, and every day she laid a golden egg. The man was rich, but he wanted to be richer.
"If there is an egg every day," he said, "then there are a hundred eggs in the goose." He took a
knife and opened the goose, and there was no egg in her. Now he had no goose, and no golden egg came
the next day, or any other day.
Who wants to have everything today has nothing the next day.

The boy and the wolf

A boy sat on the hill and looked after the sheep. He wanted to laugh, and he called: "The wolf, the
wolf!" The men ran up the hill, but there was no wolf, and the boy laughed at them. The next day he
called again: "The wolf, the wolf!" Again the men ran up the hill, and again there was no wolf. The
next day the wolf came. "The wolf, the wolf!" called the boy, but no man ran up the hill, and the
wolf took the sheep.
If you call the wolf when there is no wolf, you will be alone when he comes.

The two mice

A mouse from the town came to see a mouse from the field. They ate grain and drank water. "Is this
all you have?" said the mouse from the town. "Come with me, and you will see how I live." They went
to the town, to a large house, and there was bread and cheese. They wanted to eat, but the cat came,
and they ran into a hole. When the cat was gone, they wanted to eat again, but the dog came, and they
ran into the hole again. "I will go home," said the mouse from the field. "A little grain is good
when there is no cat and no dog."
Better a little bread in peace than all the cheese in town.

The crow and the fox

A crow sat in a tree, and she had a piece of cheese. A fox came by and looked up. "How beautiful you
are," said the fox. "There is no bird as beautiful as you. If you could sing, you would be the queen
of all the birds." The crow wanted to be the queen of all the birds. She opened her mouth to sing,
and the cheese fell down. The fox ate it and said: "You can sing, but you cannot think."
Look twice at one who says how beautiful you are.

The old man and his sons

An old man had three sons, and all day the sons fought. He took a stick and gave it to the first son.
"Can you break it?" he said. It was easy to break. Then he took three sticks, and he tied them
together. The first son could not break them. The next son could not break them, and the last son
could not break them. "You are like the sticks," said the old man. "Alone it is easy to break you.
Together no one can."
Who stands together does not fall.

The fox and the crane

A fox asked a crane to eat with him. He gave her soup on a flat stone. The fox ate all of the soup,
but the crane had a long bill, and she could not eat. The next day the crane asked the fox to eat
with her. She gave him soup in a jug, and the neck of the jug was long. The crane ate all of the
soup, but the fox could not reach it. "Is it not good?" said the crane. The fox went home hungry, and
he said nothing.
What you do to another one day, he may do to you the next day.
)";
}

}  // namespace tensorette::character_gpt
