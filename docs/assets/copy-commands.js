/* The copy button of a console block copies its commands, without `$ ` and without what they print. */
function commandsOf(text) {
  const commands = [];
  let continues = false;
  for (const line of text.split("\n")) {
    if (continues || line.startsWith("$ ")) {
      commands.push(continues ? line : line.slice(2));
      continues = line.endsWith("\\");
    }
  }
  return commands.join("\n");
}

for (const block of document.querySelectorAll(".language-console")) {
  block.dataset.copy = commandsOf(block.querySelector("code").textContent);
}
