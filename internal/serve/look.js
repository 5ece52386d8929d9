"use strict";
const $ = (id) => document.getElementById(id);

async function get(path) {
  const headers = $("token").value ? { Authorization: "Bearer " + $("token").value } : {};
  const answer = await fetch(path, { headers });
  if (answer.status === 401) $("tokens").hidden = false;
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return body;
}

function element(name, text, kind) {
  const e = document.createElement(name);
  e.textContent = text;
  if (kind) e.className = kind;
  return e;
}

// itemLink looks an item up.
function itemLink(item, title) {
  const b = element("button", title || item, "link");
  b.type = "button";
  if (title) b.title = item;
  b.onclick = () => show("item", item);
  return b;
}

function row(k, of, value) {
  const tr = document.createElement("tr"), item = document.createElement("td"), why = document.createElement("td");
  item.append(itemLink(of.item, of.title));
  for (const b of of.because || []) {
    if (why.childNodes.length) why.append(", ");
    why.append(itemLink(b.item, b.title), element("span", " " + (b.contribution < 0 ? "" : "+") + b.contribution.toFixed(2), "faint"));
  }
  tr.append(element("td", k + 1, "number"), item, element("td", value.toFixed(3), "number"), why);
  return tr;
}

// show looks up what the address says, so that going back shows what was there before.
function show(what, id) {
  location.hash = what + "/" + encodeURIComponent(id) + "/" + $("top").value + ($("why").checked ? "/why" : "");
}

let asked = 0;
async function look() {
  const [what, name, top, why] = location.hash.slice(1).split("/");
  if (!name) return;
  const user = what !== "item", id = decodeURIComponent(name), mine = ++asked;
  $("what").value = user ? "user" : "item";
  $("id").value = id;
  $("top").value = top || 10;
  $("why").checked = why === "why";
  $("why").disabled = !user;
  const path = (user ? "v1/users/" + encodeURIComponent(id) + "/recommendations" : "v1/items/" + encodeURIComponent(id) + "/similar") +
    "?top=" + encodeURIComponent($("top").value) + (user && $("why").checked ? "&explain=1" : "");
  $("error").textContent = "";
  try {
    const answer = await get(path);
    if (mine !== asked) return; // something else was asked for meanwhile
    $("heading").textContent = user ? "Recommended to " + id : "Like " + (answer.title || id);
    document.querySelector("#list th:nth-child(3) button").textContent = user ? "score" : "similarity";
    for (const cell of document.querySelectorAll("#list th")) cell.removeAttribute("aria-sort");
    $("list").classList.toggle("unexplained", !(user && $("why").checked));
    const rows = answer.items.map((of, k) => row(k, of, user ? of.score : of.similarity));
    $("list").tBodies[0].replaceChildren(...rows);
    $("answer").hidden = false;
    if (!answer.items.length) $("error").textContent = "Nothing is in the list.";
  } catch (e) {
    if (mine !== asked) return;
    $("answer").hidden = true;
    $("error").textContent = e.message;
  }
}

async function card() {
  try {
    const m = await get("v1/model");
    const facts = [["users", m.users], ["items", m.items], ["rank", m.rank], ["ratings", m.observations],
      ["relative gap", m.relative_gap === undefined ? undefined : m.relative_gap.toExponential(1)], ["data", m.data],
      ["fitted", m.fitted && new Date(m.fitted).toLocaleString()]];
    $("card").replaceChildren(...facts.filter((f) => f[1] !== undefined).map(([name, value]) => {
      const of = document.createElement("div");
      of.append(element("dt", name), element("dd", typeof value === "number" ? value.toLocaleString("en") : value));
      return of;
    }));
    $("error").textContent = "";
  } catch (e) {
    $("error").textContent = e.message;
  }
}

$("ask").onsubmit = (e) => {
  e.preventDefault();
  const before = location.hash;
  show($("what").value, $("id").value);
  if (location.hash === before) look();
};
$("what").onchange = () => { $("why").disabled = $("what").value === "item"; };
$("token").onchange = () => { card(); look(); };
addEventListener("hashchange", look);
card();
look();
