/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const tables = {
  serial: "Serial lines.",
  "serial.Client": "An open serial line.",
};

/** core/lua/host/parse-signature.ts explains the notation. */
export const signatures = {
  "serial.new(uri: string): serial.Client?, string?": "Returns a serial line, or nil and an error text.",
  "serial.Client:read(count: integer, timeout?: number): string?, string?":
    "Returns exactly so many bytes, or nil and an error text after the timeout in milliseconds.",
  "serial.Client:write(data: string): string?": "Sends the bytes; returns nil or an error text.",
  "serial.Client:flush(): string?": "Drops the bytes that have arrived; returns nil or an error text.",
  "serial.Client:transaction(action: fun(): any): any, string?":
    "Runs the function while no other device uses the port; returns what it returns, or nil and an error text.",
};
