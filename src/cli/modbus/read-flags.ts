import type { RegisterKind } from "#core/modbus/modbus-map.ts";
import type { RegisterType, WordOrder } from "#core/modbus/register-value.ts";

export interface ReadFlags {
  readonly output?: string;
  readonly unit: number;
  readonly kind: RegisterKind;
  readonly type: RegisterType;
  readonly count?: number;
  readonly scale: number;
  readonly wordOrder: WordOrder;
  readonly byteOrder: WordOrder;
  /** Milliseconds. */
  readonly timeout: number;
  readonly map?: string;
}
