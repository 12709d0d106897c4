import type { ProviderSignInStore } from "#service/ports/provider-sign-in-store.ts";
import type { Writer } from "./writer.ts";

export function createProviderSignInStore(writer: Writer): ProviderSignInStore {
  return {
    insert: (signIn) => writer.run("insertProviderSignIn", { signIn }),
    take: ({ stateKey, browserKey }, now) => writer.run("takeProviderSignIn", { stateKey, browserKey, now }),
  };
}
