"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const thousandths = (element) => element.dataset.scores.split(",").map((t) => Number(t || 0) / 1000);

  // ---- Hover texts at once instead of after the browser's pause -------------------------------
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const live = document.createElement("div");
  live.className = "unseen";
  live.setAttribute("aria-live", "polite");
  document.body.append(live);

  const tipText = (element) => {
    const title = element.querySelector(":scope > title");
    if (title) {
      element.dataset.tip = title.textContent;
      title.remove();
    }
    return element.dataset.tip;
  };
  const place = (x, y) => {
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
    const above = y - box.height - 12;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : y + 18}px`;
  };
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    place(x, y);
  };
  document.addEventListener("pointerover", (event) => {
    const element = event.target.closest(".picture .strip, .picture .key, .picture .cells rect");
    const text = element && tipText(element);
    if (text) showTip(text, event.clientX, event.clientY);
    else tip.hidden = true;
  });
  document.addEventListener("pointermove", (event) => {
    if (!tip.hidden) place(event.clientX, event.clientY);
  });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  document.addEventListener("pointerleave", () => { tip.hidden = true; });

  // ---- Tabs ------------------------------------------------------------------------------------
  const stepOf = (key, at, count) => {
    if (key === "ArrowRight" || key === "ArrowDown") return (at + 1) % count;
    if (key === "ArrowLeft" || key === "ArrowUp") return (at + count - 1) % count;
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    return -1;
  };
  for (const box of document.querySelectorAll(".tabs")) {
    const list = [...box.querySelectorAll(":scope > [role=tablist] > [role=tab]")];
    const choose = (chosen) => {
      for (const tab of list) {
        const on = tab === chosen;
        tab.setAttribute("aria-selected", String(on));
        tab.tabIndex = on ? 0 : -1;
        document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
      }
    };
    list.forEach((tab, at) => {
      tab.addEventListener("click", () => choose(tab));
      tab.addEventListener("keydown", (event) => {
        const next = stepOf(event.key, at, list.length);
        if (next < 0) return;
        event.preventDefault();
        choose(list[next]);
        list[next].focus();
      });
    });
    box.classList.add("ready");
    choose(list[0]);
  }

  // ---- Heat maps: rows and columns light up; arrow keys walk over the cells --------------------
  for (const map of document.querySelectorAll(".heat-map")) {
    const cells = [...map.querySelectorAll(".cells rect")];
    const rows = [...map.querySelectorAll(".rows text")];
    const columns = [...map.querySelectorAll(".columns text")];
    const width = columns.length;
    if (cells.length !== rows.length * width) continue;
    let at = -1;
    const light = (next) => {
      for (const on of [true, false]) {
        const index = on ? next : at;
        if (!on && at === next) break;
        if (index < 0) continue;
        cells[index].classList.toggle("lit", on);
      }
      rows.forEach((label, i) => label.classList.toggle("lit", next >= 0 && i === Math.floor(next / width)));
      columns.forEach((label, i) => label.classList.toggle("lit", next >= 0 && i === next % width));
      at = next;
    };
    map.addEventListener("pointerover", (event) => light(cells.indexOf(event.target)));
    map.addEventListener("pointerleave", () => light(-1));
    map.setAttribute("tabindex", "0");
    map.setAttribute("role", "application");
    map.setAttribute("aria-roledescription", "heat map; arrow keys read the cells");
    map.addEventListener("blur", () => { light(-1); tip.hidden = true; });
    map.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: width, ArrowUp: -width }[event.key];
      if (!step) return;
      event.preventDefault();
      const column = at < 0 ? 0 : at % width;
      const sideways = Math.abs(step) === 1 && (column + step < 0 || column + step >= width);
      const next = at < 0 ? 0 : at + step;
      if ((at >= 0 && sideways && width > 1) || next < 0 || next >= cells.length) return;
      light(next);
      const box = cells[next].getBoundingClientRect();
      showTip(tipText(cells[next]), box.right, box.top);
      live.textContent = cells[next].dataset.tip;
    });
  }

  // ---- Grid of heads: choosing a small map repaints the large one --------------------------------
  for (const grid of document.querySelectorAll(".attention-grid")) {
    const map = grid.querySelector(".heat-map");
    const cells = [...map.querySelectorAll(".cells rect")];
    const values = [...map.querySelectorAll(".values text")];
    const paths = map.querySelector(".paths");
    const name = grid.querySelector(".chosen-head");
    const levels = Number(grid.dataset.levels);
    const strong = Number(grid.dataset.strong);
    for (const input of grid.querySelectorAll("input")) {
      input.addEventListener("change", () => {
        if (paths) paths.replaceChildren(...input.nextElementSibling.cloneNode(true).children);
        else thousandths(input).forEach((score, i) => {
          const level = Math.round(score * (levels - 1));
          tipText(cells[i]);
          cells[i].setAttribute("class", `h${level}`);
          cells[i].dataset.tip = cells[i].dataset.tip.replace(/[0-9.]+$/, score.toFixed(3));
          if (!values[i]) return;
          values[i].textContent = score < 0.005 ? "" : score > 0.995 ? "1" : score.toFixed(2).slice(1);
          values[i].setAttribute("class", level >= strong ? "on-strong" : "on-weak");
        });
        name.textContent = input.getAttribute("aria-label");
        map.setAttribute("aria-label", input.dataset.describe);
      });
    }
  }

  // ---- Arcs: another word or another head ---------------------------------------------------------
  for (const figure of document.querySelectorAll(".arcs")) {
    const words = [...figure.querySelectorAll(".word")];
    const arcs = [...figure.querySelectorAll(".arc")];
    const tints = [...figure.querySelectorAll(".tint")];
    const numbers = [...figure.querySelectorAll(".score")];
    const keyNames = tints.map((tint) => tint.nextElementSibling.textContent);
    figure.querySelectorAll(".key > title").forEach((title) => title.remove());
    const select = figure.querySelector("select");
    const keys = arcs.length;
    const scores = thousandths(figure);
    let query = words.findIndex((word) => word.classList.contains("chosen"));
    const draw = () => {
      const head = select ? Number(select.value) : 0;
      words.forEach((word, i) => {
        word.classList.toggle("chosen", i === query);
        word.setAttribute("aria-pressed", String(i === query));
        word.tabIndex = i === query ? 0 : -1;
      });
      const from = Number(words[query].dataset.y);
      arcs.forEach((arc, k) => {
        const score = scores[(head * words.length + query) * keys + k];
        const { left, right, y } = arc.dataset;
        const middle = (Number(left) + Number(right)) / 2;
        arc.setAttribute("d", `M${left} ${from}C${middle} ${from} ${middle} ${y} ${right} ${y}`);
        arc.setAttribute("stroke-opacity", score.toFixed(3));
        arc.setAttribute("stroke-width", (1.5 + 5.5 * score).toFixed(2));
        tints[k].setAttribute("fill-opacity", (0.6 * score).toFixed(3));
        const name = words[query].querySelector("text").textContent;
        tints[k].parentElement.dataset.tip = `${name} → ${keyNames[k]}: ${score.toFixed(3)}`;
        numbers[k].textContent = score < 0.005 ? "" : score.toFixed(2);
      });
    };
    const choose = (next) => {
      query = next;
      draw();
    };
    words.forEach((word, i) => {
      word.setAttribute("role", "button");
      word.addEventListener("pointerenter", () => choose(i));
      word.addEventListener("click", () => choose(i));
      word.addEventListener("focus", () => choose(i));
      word.addEventListener("keydown", (event) => {
        const next = stepOf(event.key, i, words.length);
        if (next < 0) return;
        event.preventDefault();
        words[next].focus();
      });
    });
    figure.querySelector("svg").setAttribute("role", "group");
    if (select) select.addEventListener("change", draw);
    draw();
  }
})();
