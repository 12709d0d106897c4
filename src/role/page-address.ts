import type { Parts } from "#role/parts.ts";

/** Where people reach the page: as a provider sends them back, or by the first of the names. Undefined if no setting says it. */
export function pageAddressOf({ config, certificate }: Pick<Parts, "config" | "certificate">): string | undefined {
  const { http, oidc, port } = config;
  if (oidc.address !== undefined) return oidc.address;
  const [name] = http.names;
  if (name === undefined || port === 0) return undefined;
  return new URL(`${certificate === undefined ? "http" : "https"}://${hostOf(name)}:${port}`).origin;
}

const hostOf = (name: string): string => (name.includes(":") ? `[${name}]` : name);
