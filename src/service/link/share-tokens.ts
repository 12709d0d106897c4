// Tells the gateways which tokens of this cloud see their sites, as they are now: when a gateway connects and whenever a
// token is made or revoked.
import { type LinkedToken, tokensFor } from "#core/link/linked-token.ts";
import type { DownMessage } from "#core/link/messages.ts";
import type { TokenStore } from "#service/ports/token-store.ts";
import type { Needs } from "#service/ports.ts";

export interface TokenSharing {
  /** Returns the function that ends it. */
  open(line: TokenLine): Promise<() => void>;
  /** Tokens have changed. */
  changed(): Promise<void>;
}

interface TokenLine {
  readonly gatewayId: string;
  send(message: DownMessage): Promise<void>;
}

interface Open {
  readonly line: TokenLine;
  /** What the gateway was told last. */
  told: string;
}

export function createTokenSharing(needs: Pick<Needs, "tokens" | "gateways" | "now">): TokenSharing {
  const lines = new Set<Open>();
  let last: Promise<void> = Promise.resolve();

  async function tell(open: Open, all: Awaited<ReturnType<TokenStore["all"]>>): Promise<void> {
    const tokens = tokensFor(await needs.gateways.sites(open.line.gatewayId), all, needs.now());
    const told = keyOf(tokens);
    if (open.told === told || !lines.has(open)) return;
    open.told = told;
    // A line that fails is closed, and the next connection is told everything.
    await open.line.send({ type: "tokens", tokens }).catch(() => {});
  }

  /** One after the other: an earlier state never comes after a later one. */
  function inTurn(task: () => Promise<void>): Promise<void> {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    async open(line) {
      const open = { line, told: "" };
      lines.add(open);
      await inTurn(async () => await tell(open, await needs.tokens.all()));
      return () => lines.delete(open);
    },
    changed: () =>
      inTurn(async () => {
        if (lines.size === 0) return;
        const all = await needs.tokens.all();
        for (const open of lines) await tell(open, all);
      }),
  };
}

/** Tokens are made and revoked, and otherwise never change. */
function keyOf(tokens: readonly LinkedToken[]): string {
  return JSON.stringify(tokens.map(({ id, sites }) => [id, sites]));
}

/** The same tokens; `onChange` is called after one was made or revoked. */
export function watchTokens(tokens: TokenStore, onChange: () => void): TokenStore {
  return {
    ...tokens,
    insert: async (token, trail) => {
      await tokens.insert(token, trail);
      onChange();
    },
    revoke: async (id, at, trail) => {
      const isRevoked = await tokens.revoke(id, at, trail);
      onChange();
      return isRevoked;
    },
  };
}
