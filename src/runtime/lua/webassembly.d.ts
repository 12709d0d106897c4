// The part of WebAssembly that is used: neither the language's library nor Node's types declare it without a browser's.

// biome-ignore lint/style/noNamespace: this is how the platform names its types
declare namespace WebAssembly {
  type Exports = Record<string, unknown>;
  type ImportedFunction = (...args: number[]) => unknown;

  interface ImportDescriptor {
    readonly module: string;
    readonly name: string;
  }

  class Module {
    constructor(bytes: Uint8Array);
    static imports(module: Module): ImportDescriptor[];
    private readonly brand: never;
  }

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, ImportedFunction>>);
    readonly exports: Exports;
  }

  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Global {
    private constructor();
    value: number;
  }

  class Table {
    private constructor();
    get(index: number): ((...args: number[]) => void) | null;
    set(index: number, fn: unknown): void;
    grow(count: number): number;
  }

  class RuntimeError extends Error {}
}
