/** Windows in which attempts to sign in are counted, of all sources together. Beyond that those that end first are forgotten. */
export const MAX_SIGN_IN_ATTEMPTS = 100_000;
