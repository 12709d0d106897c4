// Sends the gateways the tokens of this cloud that see their sites, as they are now: when a gateway connects and whenever a
// token is made or revoked.
import { RECORD_JSON } from "#core/link/link-limits.ts";
import { type LinkedToken, tokensFor } from "#core/link/linked-token.ts";
import type { DownMessage } from "#core/link/messages.ts";
import type { AccountStore } from "#service/ports/account-store.ts";
import type { TokenStore } from "#service/ports/token-store.ts";
import type { Needs } from "#service/ports.ts";

export interface TokenSharing {
  /** Sends the gateway its tokens, now and after each change. Returns the function that ends it. */
  open(line: TokenLine): () => void;
  /** Tokens have changed. */
  changed(): void;
}

interface TokenLine {
  readonly gatewayId: string;
  send(message: DownMessage): Promise<void>;
}

interface TokenSharingNeeds extends Pick<Needs, "tokens" | "gateways" | "now"> {
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: { warn(about: object, text: string): void };
}

interface Open {
  readonly line: TokenLine;
  /** What was sent to the gateway last. */
  sent: string;
  /** Fires when tokens have changed since they were read for this line. */
  change: AbortController;
}

/** Messages of other nodes may be lost. */
const LOOK_AGAIN_MS = 5 * 60_000;
const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Fields of a token. */
const TOKEN_VALUES = 12;
const SITE_LEVEL_VALUES = 3;

export function createTokenSharing(needs: TokenSharingNeeds): TokenSharing {
  const lines = new Set<Open>();
  let reading: ReturnType<TokenStore["all"]> | undefined;

  /** Lines that ask in the same turn share an answer. */
  function readAll(): ReturnType<TokenStore["all"]> {
    reading ??= Promise.resolve().then(() => {
      reading = undefined;
      return needs.tokens.all();
    });
    return reading;
  }

  async function sendTokens(open: Open): Promise<void> {
    const all = await readAll();
    const { gatewayId } = open.line;
    const seeing = tokensFor(await needs.gateways.sites(gatewayId), all, needs.now());
    const tokens = firstThatFit(seeing);
    const sent = keyOf(tokens);
    if (open.sent === sent || !lines.has(open)) return;
    if (tokens.length < seeing.length)
      needs.log.warn(
        { gatewayId, tokens: seeing.length, sent: tokens.length },
        "a gateway gets only some of its tokens",
      );
    await open.line.send({ type: "tokens", tokens });
    open.sent = sent;
  }

  /** Each line on its own: one that is slow delays no other, and gets the latest state when it is free. */
  async function follow(open: Open): Promise<void> {
    for (let failures = 0; lines.has(open); ) {
      open.change = new AbortController();
      try {
        await sendTokens(open);
        failures = 0;
      } catch (error) {
        const { gatewayId } = open.line;
        // A line that fails ends, and the next connection gets everything.
        if (failures === 0 && lines.has(open)) {
          needs.log.warn({ gatewayId, err: error }, "tokens could not be sent to a gateway; this is tried again");
        }
        failures++;
      }
      const wait = Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
      await needs.pause(failures === 0 ? LOOK_AGAIN_MS : wait, open.change.signal);
    }
  }

  return {
    open(line) {
      const open = { line, sent: "", change: new AbortController() };
      lines.add(open);
      void follow(open);
      return () => {
        lines.delete(open);
        open.change.abort();
      };
    },
    changed() {
      for (const { change } of lines) change.abort();
    },
  };
}

/** As many as a message may have. The rest does not work on the gateway. */
function firstThatFit(tokens: readonly LinkedToken[]): readonly LinkedToken[] {
  let values = 0;
  const end = tokens.findIndex(({ sites, siteLevels = [] }) => {
    values += TOKEN_VALUES + (sites === "all" ? 0 : sites.length) + SITE_LEVEL_VALUES * siteLevels.length;
    return values > RECORD_JSON.values;
  });
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Tokens are made and revoked, and otherwise never change. People change, and with their name that of their tokens. */
function keyOf(tokens: readonly LinkedToken[]): string {
  return JSON.stringify(tokens.map(({ expiresInMs: _, createdAt: __, ...rest }) => rest));
}

export interface TokenHolders {
  readonly tokens: TokenStore;
  readonly accounts: AccountStore;
}

/** The same tokens and people; `onChange` is called after one was made, changed or ended. */
export function watchTokens({ tokens, accounts }: TokenHolders, onChange: () => void): TokenHolders {
  const noted = async <Outcome>(writing: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await writing;
    onChange();
    return outcome;
  };
  return {
    tokens: {
      ...tokens,
      insert: (token, trail) => noted(tokens.insert(token, trail)),
      revoke: (id, at, trail) => noted(tokens.revoke(id, at, trail)),
    },
    accounts: {
      ...accounts,
      insert: (account, trail) => noted(accounts.insert(account, trail)),
      change: (asked, trail) => noted(accounts.change(asked, trail)),
      acceptInvitation: (hash, asked, trail) => noted(accounts.acceptInvitation(hash, asked, trail)),
      delete: (id, at, trail) => noted(accounts.delete(id, at, trail)),
    },
  };
}
