// Many simulated gateways in a process of their own, led by messages of the benchmark.
import { joinSimulated, type SimulatedGateway } from "../../test/support/simulated-gateway.ts";

export type FleetOrder =
  | { readonly do: "join"; readonly url: string; readonly codes: readonly string[]; readonly devices: number }
  /** All of them drop their connections and connect again at once. */
  | { readonly do: "reconnect" }
  /** Nothing else happens. */
  | { readonly do: "count failures" }
  /** Each sends 10 values of each device and 14 of itself in this time, again and again; 0: no more. */
  | { readonly do: "report"; readonly everyMs: number };

/** The answer when the order is done. */
export type FleetAnswer = {
  readonly done: FleetOrder["do"];
  readonly deviceIds: readonly string[];
  readonly ms: number;
  /** Connections that failed, or that the cloud ended, since they were counted last: how many for which reason. */
  readonly failures: Readonly<Record<string, number>>;
};

const AT_ONCE = 10;

export function runGateways(): void {
  const gateways: SimulatedGateway[] = [];
  let changed: () => void = () => {};
  let failures: Record<string, number> = {};
  let reporting: NodeJS.Timeout[] = [];

  function onFailure(reason: string): void {
    // Ports and ids differ.
    const name = reason.replaceAll(/[0-9a-f]{4,}(-[0-9a-f]+)*/g, "#");
    failures[name] = (failures[name] ?? 0) + 1;
  }

  async function areConnected(): Promise<void> {
    for (;;) {
      const states = await Promise.all(gateways.map(({ uplink }) => uplink.status()));
      if (states.every((status) => status?.isConnected === true)) return;
      await new Promise<void>((resolve) => {
        changed = resolve;
        setTimeout(resolve, 200);
      });
    }
  }

  async function follow(order: FleetOrder): Promise<void> {
    if (order.do === "join") {
      for (let at = 0; at < order.codes.length; at += AT_ONCE) {
        const some = order.codes.slice(at, at + AT_ONCE);
        const joined = await Promise.all(
          some.map((code) =>
            joinSimulated(order.url, code, { onTurn: () => changed(), onFailure, devices: order.devices }),
          ),
        );
        gateways.push(...joined);
        for (const { uplink } of joined) await uplink.restart();
      }
      await areConnected();
    } else if (order.do === "reconnect") {
      await Promise.all(gateways.map(({ uplink }) => uplink.restart()));
      await areConnected();
    } else if (order.do === "report") {
      for (const timer of reporting) clearInterval(timer);
      reporting = order.everyMs === 0 ? [] : gateways.map((one) => setInterval(() => void one.report(), order.everyMs));
      if (order.everyMs === 0) return;
      await Promise.all(gateways.map((one) => one.report()));
    }
  }

  process.on("message", (order: FleetOrder) => {
    const began = performance.now();
    follow(order).then(
      () => {
        const deviceIds = gateways.map(({ deviceId }) => deviceId);
        const ms = performance.now() - began;
        process.send?.({ done: order.do, deviceIds, ms, failures } satisfies FleetAnswer);
        if (order.do === "count failures") failures = {};
      },
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on("disconnect", () => process.exit(0));
}
