/** How the sending of a form goes: what is wrong is marked from the first try on. Call it while a component is made. */
export function submission() {
  let hasTried = $state(false);
  let isBusy = $state(false);
  let failure = $state.raw<unknown>();

  return {
    get hasTried(): boolean {
      return hasTried;
    },
    get isBusy(): boolean {
      return isBusy;
    },
    /** Why it was refused. */
    get failure(): unknown {
      return failure;
    },
    /** Sends it if it is complete. The answer is whether that went well. */
    async send(isComplete: boolean, task: () => Promise<void>): Promise<boolean> {
      hasTried = true;
      if (!isComplete) return false;
      isBusy = true;
      failure = undefined;
      try {
        await task();
        return true;
      } catch (error) {
        failure = error;
        return false;
      } finally {
        isBusy = false;
      }
    },
    /** For the next step of the same form. */
    startAgain(): void {
      hasTried = false;
    },
  };
}
