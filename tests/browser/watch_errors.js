// Stands before everything else in a page: remembers what goes wrong in it.
window.pageErrors = [];
addEventListener("error", (event) => window.pageErrors.push(event.message));
addEventListener("unhandledrejection", (event) => window.pageErrors.push(String(event.reason)));
for (const kind of ["error", "warn"]) {
  const tell = console[kind];
  console[kind] = (...words) => {
    window.pageErrors.push(words.join(" "));
    tell(...words);
  };
}
