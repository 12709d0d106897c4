/** Push services want somebody to write to. What has neither a setting nor a public name says only which software it is. */
const NOBODY = "mailto:web-push@busbar.example";
/** Names that only a local network knows (RFC 6762, RFC 8375, RFC 6761, and what ICANN keeps for private use). */
const PRIVATE_ENDING = /\.(local|lan|home|internal|localhost|home\.arpa|test|invalid|example)$/;
const HAS_TOP_LEVEL = /\.[a-z][a-z0-9-]*[a-z0-9]$/;

/** Who sends, as the header of web push (RFC 8292) says it: a mailto: or https: address. */
export function pushContact(configured: string | undefined, names: readonly string[]): string {
  const name = names
    .map((one) => one.toLowerCase())
    .find((one) => HAS_TOP_LEVEL.test(one) && !PRIVATE_ENDING.test(one));
  return configured ?? (name === undefined ? NOBODY : `https://${name}`);
}
