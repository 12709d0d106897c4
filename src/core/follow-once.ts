/**
 * Gives one follower for one promise, however often it comes. Messages that share a commit share its promise, so what follows is made
 * once for all of them: thousands of waiting promises cost the garbage collector more than the rest of a message.
 */
export function createFollowOnce<Result, Followed>(
  follow: (promise: Promise<Result>) => Promise<Followed>,
): (promise: Promise<Result>) => Promise<Followed> {
  let last: readonly [Promise<Result>, Promise<Followed>] | undefined;
  return (promise) => {
    if (last?.[0] !== promise) last = [promise, follow(promise)];
    return last[1];
  };
}
