// Sign-in of a program by the browser of a person: the program shows a code, the person types it into the page.
import { createClient } from "./create-client.ts";
import { mayPass } from "./errors.ts";
import { pause } from "./pause.ts";
import type { Bodies } from "./resources.ts";
import type { ClientOptions } from "./transport.ts";

export type BrowserSignInOptions = Omit<ClientOptions, "token"> & {
  /** What asks and where it runs, such as "report on laptop". The person sees it. */
  readonly program: string;
  /** The highest level that the program wants. Without it the person decides. */
  readonly level?: Bodies["createTerminalSignIn"]["level"];
  /** Shows the person the code, and the page that takes it. */
  readonly onCode: (shown: { readonly code: string; readonly page: string; readonly expiresAt: string }) => void;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the waiting between two questions. */
  readonly wait?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
};

/** `denied`: the person refused. `expired`: nobody decided in time. `aborted`: by the program's own signal. */
export type BrowserSignIn =
  | { readonly state: "approved"; readonly id: string; readonly token: string }
  | { readonly state: "denied" | "expired" | "aborted" };

const SLOWER_MS = 5_000;

/** Resolves when the person has decided. A server that is away for a moment is asked again. */
export async function signInByBrowser(options: BrowserSignInOptions): Promise<BrowserSignIn> {
  const { program, level, onCode, signal, wait = pause, ...rest } = options;
  const { perform } = createClient(rest);
  const body = { program, ...(level !== undefined && { level }) };
  const begun = await perform("createTerminalSignIn", { body });
  const page = new URL(begun.verification_path.replace(/^\//, ""), `${rest.url.replace(/\/+$/, "")}/`).href;
  onCode({ code: begun.user_code, page, expiresAt: begun.expires_at });
  let everyMs = begun.interval * 1_000;
  for (;;) {
    await wait(everyMs, signal);
    if (signal?.aborted === true) return { state: "aborted" };
    try {
      const { state, id, token } = await perform("takeTerminalSignIn", { body: { device_code: begun.device_code } });
      if (state === "SLOW_DOWN") everyMs += SLOWER_MS;
      if (state === "DENIED") return { state: "denied" };
      if (state === "EXPIRED") return { state: "expired" };
      if (state === "APPROVED" && id !== null && token !== null) return { state: "approved", id, token };
    } catch (error) {
      if (!mayPass(error)) throw error;
      everyMs += SLOWER_MS;
    }
    if (everyMs > MOST_MS) return { state: "expired" };
  }
}

/** A server that says nothing else for this long has forgotten the sign-in. */
const MOST_MS = 120_000;
