// Drives the page of a trace as a user would: real clicks, key presses and typing. Leaves what it
// found in the document, where the test reads it.
addEventListener("load", () => setTimeout(() => {
  const results = [];
  const check = (what, holds) => results.push(`${holds ? "ok" : "FAILED"}: ${what}`);
  const click = (id) => document.getElementById(id).click();
  const press = (key, target = document.getElementById("stage")) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const where = () => document.getElementById("where").textContent;
  const heading = () => document.querySelector("#details h2").textContent;
  const lit = () => document.querySelectorAll(".node.now").length;
  const formulas = (kind) => [...document.querySelectorAll(`#details .formula${kind}`)].map((e) => e.textContent).join();
  try {
    const data = JSON.parse(document.getElementById("trace").textContent);
    const operations = data.nodes.filter((node) => node.family !== "parameter").length;
    check("every box lies on the stage", [...document.querySelectorAll(".node")].every((e) =>
      /^translate\([-\d.]+,[-\d.]+\)$/.test(e.getAttribute("transform"))));
    check("boxes do not overlap", (() => {
      const boxes = [...document.querySelectorAll(".node .box")].map((e) => e.getBoundingClientRect());
      return boxes.every((a, i) => boxes.slice(i + 1).every((b) =>
        a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1));
    })());

    click("forward");
    check("the first step is forward", where() === `forward 1 of ${operations}`);
    check("one node is lit", lit() === 1);
    press("ArrowRight");
    check("a key steps on", operations < 2 || where() === `forward 2 of ${operations}`);
    press("ArrowLeft");
    check("a key steps back", where() === `forward 1 of ${operations}`);
    const waiting = document.querySelectorAll(".node.waiting").length;
    click("last");
    check("the last step is backward", /^backward (\d+) of \1$/.test(where()));
    check("nothing waits at the end", document.querySelectorAll(".node.waiting").length === 0 && waiting > 0);
    click("turn");
    check("backward begins at the output", where().startsWith("backward 1 of ") &&
      heading() === (data.nodes.at(-1).name || data.nodes.at(-1).operation));
    check("the vjp is shown with shapes", /d\w+.*\[.*\] = .*g/.test(formulas(".vjp")));
    check("gradients reach inputs", document.querySelectorAll(".node.flowed").length >= 1);

    const wanted = data.nodes.find((node) => node.name) || data.nodes[0];
    const search = document.getElementById("search");
    search.value = wanted.name || wanted.operation;
    search.dispatchEvent(new Event("input", { bubbles: true }));
    check("search finds", document.querySelectorAll("#matches button").length > 0);
    press("Enter", search);
    check("a match is opened", heading() === (wanted.name || wanted.operation) && document.getElementById("matches").hidden);
    search.value = "no such thing";
    search.dispatchEvent(new Event("input", { bubbles: true }));
    check("search says that it found nothing", document.getElementById("matches").textContent === "nothing found");
    press("Escape", search);

    const scale = () => Number(/scale\(([\d.]+)\)/.exec(document.getElementById("world").getAttribute("transform"))[1]);
    const before = scale();
    click("zoom-in");
    check("zoom", scale() > before);
    press("0");
    if (data.scopes.length) {
      click("collapse");
      const closed = document.querySelectorAll(".node").length;
      document.querySelector(".node.folded").dispatchEvent(new MouseEvent("click", { bubbles: true }));
      check("a click opens a module", document.querySelectorAll(".node").length > closed);
      click("expand");
      check("all modules open", document.querySelectorAll(".node").length === data.nodes.length &&
        document.querySelectorAll(".group").length === data.scopes.length);
    }
    const theme = document.documentElement.dataset.theme;
    press("t");
    check("light and dark", document.documentElement.dataset.theme !== theme);
    click("first");
    check("back at the start", where().endsWith("steps"));
    click("play");
    check("play", document.getElementById("play").textContent.includes("Pause"));
    click("play");
  } catch (error) {
    results.push("FAILED: " + error.stack);
  }
  results.push(...window.pageErrors.map((error) => "FAILED: console: " + error));
  // It takes less than half a second, but much longer where ten programs share two processors.
  const leaveReport = () => {
    if (document.getElementById("report")) return;
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    if (document.querySelectorAll(".node").length < 1000) {
      check("the first paint comes within 10 s", paint && paint.startTime < 10000);
    }
    results.push("first paint: " + (paint ? paint.startTime.toFixed(0) + " ms" : "none"));
    const report = document.createElement("pre");
    report.id = "report";
    report.textContent = "\n" + results.join("\n") + "\nend of report\n";
    document.body.append(report);
  };
  new PerformanceObserver((list) => {
    if (list.getEntriesByName("first-contentful-paint").length) leaveReport();
  }).observe({ type: "paint", buffered: true });
  setTimeout(leaveReport, 10500);
}, 300));
