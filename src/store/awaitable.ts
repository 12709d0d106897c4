/** A store in the same process answers at once, a server later: code that awaits works on both. */
export type Awaitable<Result> = Result | Promise<Result>;
