/** An address that people give Busbar to connect to, or what is wrong with it. */
export function parseHttpAddress(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "") {
    return "must be an http:// or https:// address";
  }
  if (url.username !== "" || url.password !== "") return "must not carry a name or password";
  return url.hash === "" ? url : "must not have a fragment";
}
