/** An execution in the address: the drawer is open on any screen while `?execution=<device>:<execution>` is there. */
export type ExecutionKey = { readonly device: string; readonly id: string };

export function renderExecutionKey({ device, id }: ExecutionKey): string {
  return `${device}:${id}`;
}

export function parseExecutionKey(text: string | undefined): ExecutionKey | undefined {
  const [device = "", id = "", ...rest] = text?.split(":") ?? [];
  return device === "" || id === "" || rest.length > 0 ? undefined : { device, id };
}
