// Sends back what it is sent. It measures nothing but the machine.
process.on("message", (number) => process.send?.(number));
process.on("disconnect", () => process.exit(0));
process.send?.(0);
