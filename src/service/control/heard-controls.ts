/** More devices at once are not heard of: their listeners read the next news. */
const MOST_DEVICES = 10_000;

/** Controls that another node has announced, until this node knows as much as that one and tells its own listeners. */
export function createHeardControls(
  publish: (heard: { readonly deviceId: string; readonly names: ReadonlySet<string> | undefined }) => Promise<void>,
) {
  /** Names of controls by device. Undefined: all. */
  const heard = new Map<string, Set<string> | undefined>();
  return {
    add(deviceId: string, control: string | undefined): void {
      if (heard.size >= MOST_DEVICES) return;
      const names = heard.has(deviceId) ? heard.get(deviceId) : new Set<string>();
      heard.set(deviceId, control === undefined ? undefined : names?.add(control));
    },
    async publish(): Promise<void> {
      const all = [...heard];
      heard.clear();
      for (const [deviceId, names] of all) await publish({ deviceId, names });
    },
    clear: () => heard.clear(),
  };
}
