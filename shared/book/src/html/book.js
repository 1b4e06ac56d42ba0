// A symmetry is a number: 1 mirrors columns, 2 mirrors rows, 4 swaps both first.
const loaded = new Map();
const waiting = new Map();

function entry(number, data) {
  loaded.set(number, data);
}

function load(number, then) {
  if (loaded.has(number)) return then(loaded.get(number));
  const file = Math.floor(number / book.perFile);
  const after = waiting.get(file) ?? [];
  after.push(() => then(loaded.get(number)));
  if (waiting.has(file)) return;
  waiting.set(file, after);
  const script = document.createElement("script");
  script.src = `data/${file}.js`;
  script.onload = () => { waiting.delete(file); after.forEach((run) => run()); };
  document.body.append(script);
}

function apply(symmetry, [column, row]) {
  if (symmetry & 4) [column, row] = [row, column];
  if (symmetry & 1) column = book.columns - 1 - column;
  if (symmetry & 2) row = book.rows - 1 - row;
  return [column, row];
}

function undo(symmetry, square) {
  return apply(symmetry === 5 ? 6 : symmetry === 6 ? 5 : symmetry, square);
}

function name([column, row]) {
  const letter = String.fromCharCode(65 + column % 26);
  return (column < 26 ? letter : "A" + letter) + (row + 1);
}

// The symmetries that lead from the shown board to the entry's, one after the other.
let path = [];
const toBoard = (square) => path.at(-1).turns.reduceRight((at, turn) => undo(turn, at), square);

const words = { played: "only played", open: "searched, open", B: "proved: Black wins", W: "proved: White wins" };

function show() {
  const here = path.at(-1);
  location.replace("#" + path.map((step) => step.move ?? "").join("/"));
  load(here.number, (data) => {
    const text = (id, value) => { document.getElementById(id).textContent = value; };
    text("about", `${book.rules}, ${book.entries} positions`);
    const side = data.t === "B" ? "Black" : "White";
    const best = data.m ? ` with ${data.m.map(toBoard).map(name).join(" ")}` : "";
    text("status", `${side} to move. Black won ${data.w[0]}, White ${data.w[1]}; ${words[data.p]}${best}.`);
    text("note", data.n ?? "");
    draw(data);
    const rows = data.c.map(([stones, number, turn, [black, white], status]) => {
      const row = document.createElement("tr");
      const move = stones.map(toBoard).map(name).join(" ");
      const button = document.createElement("button");
      button.textContent = move;
      button.onclick = () => go(number, turn, move);
      const cells = [button, black, white, words[status]].map((content) => {
        const cell = document.createElement("td");
        cell.append(content);
        return cell;
      });
      row.append(...cells);
      return row;
    });
    document.getElementById("moves").replaceChildren(...rows);
    const steps = path.map((step, depth) => {
      const button = document.createElement("button");
      button.textContent = step.move ?? "start";
      button.onclick = () => { path = path.slice(0, depth + 1); show(); };
      return button;
    });
    document.getElementById("path").replaceChildren(...steps.flatMap((step) => [step, " / "]));
  });
}

function go(number, turn, move) {
  path.push({ number, move, turns: [...path.at(-1).turns, turn] });
  show();
}

function draw(data) {
  const board = document.getElementById("board");
  board.setAttribute("viewBox", `-1 -1 ${book.columns + 1} ${book.rows + 1}`);
  const at = ([column, row]) => `cx="${column}" cy="${book.rows - 1 - row}"`;
  let svg = "";
  for (let i = 0; i < book.columns; i++) svg += `<path d="M${i} 0V${book.rows - 1}" stroke="#0006" stroke-width=".04"/>`;
  for (let i = 0; i < book.rows; i++) svg += `<path d="M0 ${i}H${book.columns - 1}" stroke="#0006" stroke-width=".04"/>`;
  data.s.forEach((stones, side) => stones.map(toBoard).forEach((square) => {
    svg += `<circle ${at(square)} r=".45" fill="${side ? "#fff" : "#000"}" stroke="#000" stroke-width=".03"/>`;
  }));
  data.c.slice(0, 20).forEach(([stones]) => stones.map(toBoard).forEach((square) => {
    svg += `<circle ${at(square)} r=".18" fill="#06c8"/>`;
  }));
  (data.m ?? []).map(toBoard).forEach((square) => {
    svg += `<circle ${at(square)} r=".3" fill="#0a0"/>`;
  });
  board.innerHTML = svg;
}

// The empty board, if the book has it, sorts first.
path = [{ number: 0, turns: [] }];
if (book.entries > 0) show();
