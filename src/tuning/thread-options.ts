/** Options of a thread that finds its modules quickly (find-modules.ts). */
export const THREAD_OPTIONS = {
  execArgv: ["--disable-warning=ExperimentalWarning", "--import", new URL("./find-modules.ts", import.meta.url).href],
};
