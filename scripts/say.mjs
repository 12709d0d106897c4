export function say(text) {
  console.error(`busbar: ${text}`);
}
