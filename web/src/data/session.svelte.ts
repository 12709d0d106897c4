import { type AccessLevel, allows } from "#core/access/level.ts";
import { onSessionRefused } from "./client.ts";

export type Session = {
  readonly id: string;
  readonly token_id: string;
  readonly token_name: string;
  readonly level: AccessLevel;
  /** Null: all sites. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
};

type Phase = "unknown" | "signed out" | "signed in";
/** Why a sign-in did not work. */
export type SignInProblem = "wrong" | "limited" | "unreachable" | "other";

let phase = $state<Phase>("unknown");
let current = $state.raw<Session | undefined>();
/** Whether a session ended while the page was open, rather than never having been. */
let hasEnded = $state(false);

export const session = {
  get phase(): Phase {
    return phase;
  },
  get current(): Session | undefined {
    return current;
  },
  get hasEnded(): boolean {
    return hasEnded;
  },
  get level(): AccessLevel {
    return current?.level ?? "readonly";
  },
  /** Whether the session's level is enough. */
  allows: (needed: AccessLevel): boolean => allows(current?.level ?? "readonly", needed),

  /** Finds out whether there is a session. Throws when the server does not answer. */
  async find(): Promise<void> {
    const response = await fetch("/v3/sessions/current", { headers: { accept: "application/json" } });
    if (response.ok) enter(await response.json());
    else if (response.status === 401) phase = "signed out";
    else throw new Error(`status ${response.status}`);
  },

  /** With a token or with the code of a one-time link. */
  async signIn(proof: { readonly token: string } | { readonly code: string }): Promise<SignInProblem | undefined> {
    try {
      const response = await fetch("/v3/sessions", {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(proof),
      });
      if (response.ok) {
        enter(await response.json());
        return undefined;
      }
      if (response.status === 429) return "limited";
      return response.status >= 400 && response.status < 500 ? "wrong" : "other";
    } catch {
      return "unreachable";
    }
  },

  /** Here, or in every browser. */
  async signOut({ everywhere = false }: { readonly everywhere?: boolean } = {}): Promise<void> {
    await fetch(everywhere ? "/v3/sessions" : "/v3/sessions/current", { method: "DELETE" });
    leave(false);
  },
};

function enter(answer: { readonly session: Session }): void {
  current = answer.session;
  phase = "signed in";
  hasEnded = false;
}

function leave(wasRefused: boolean): void {
  if (phase !== "signed in") return;
  current = undefined;
  phase = "signed out";
  hasEnded = wasRefused;
}

onSessionRefused(() => leave(true));
