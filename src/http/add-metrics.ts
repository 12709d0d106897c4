// Metrics whose values are read when somebody asks, and cost nothing otherwise.
import { Counter, Gauge, type Registry } from "prom-client";

export interface ReadMetric<Source> {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly isCounter?: true;
  /** Values, each with that of the label. Those of the same label are added up. Empty where there is nothing to count. */
  readonly read: (source: Source) => Iterable<readonly [value: number, label?: string]>;
}

/** Undefined while the source cannot be read: the other metrics are there. */
export function addMetrics<Source>(
  registry: Registry,
  metrics: readonly ReadMetric<Source>[],
  source: () => Promise<Source | undefined>,
): void {
  for (const { name, help, label, isCounter, read } of metrics) {
    const collect = async function (this: Counter | Gauge) {
      const found = await source();
      const values = found === undefined ? [] : [...read(found)];
      this.reset();
      for (const [value, of] of values) {
        if (label === undefined || of === undefined) this.inc(value);
        else this.inc({ [label]: of }, value);
      }
      // Otherwise a metric without labels says 0.
      if (label === undefined && values.length === 0) this.remove();
    };
    const options = { name, help, labelNames: label === undefined ? [] : [label], registers: [registry], collect };
    void (isCounter === true ? new Counter(options) : new Gauge(options));
  }
}
