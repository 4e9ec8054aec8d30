"use strict";
const questions = [...document.querySelectorAll("details.question")];
const fields = ["verdict", "form", "kind"].map((name) => document.getElementById(`by-${name}`));
const words = document.getElementById("by-words");
const shown = document.getElementById("shown");

function filter() {
  const wanted = words.value.trim().toLowerCase();
  let count = 0;
  for (const question of questions) {
    const fits = fields.every((field) => !field.value || question.dataset[field.name] === field.value);
    const visible = fits && (!wanted || question.textContent.toLowerCase().includes(wanted));
    question.hidden = !visible;
    count += visible;
  }
  shown.textContent = `${count} of ${questions.length} questions`;
}

for (const field of [...fields, words]) field.addEventListener("input", filter);
filter();
