/** Tables and classes, in the order of the documentation. A class has a capital letter. */
export const tables = {
  can: "CAN buses.",
  "can.Client": "An open CAN bus.",
  "can.Monitor": "Keeps the latest frame of each id.",
  "can.Queue": "Keeps the frames of each id until they are taken.",
};

/** core/lua/host/parse-signature.ts explains the notation. */
export const signatures = {
  "can.new(uri: string): can.Client?, string?": "Returns a CAN bus, or nil and an error text.",
  "can.DROP_OLDEST: integer": "A full queue drops its oldest frame.",
  "can.DROP_NEWEST: integer": "A full queue drops the frame that arrives.",
  "can.Client:send(id: integer, data: string): string?":
    "Sends a frame of at most 8 bytes; an id above 0x7FF is an extended one.",
  "can.Client:monitor(ids: integer[]): can.Monitor?, string?": "Returns a monitor of these ids.",
  "can.Client:queue(ids: integer[], size: integer, policy?: integer): can.Queue?, string?":
    "Returns a queue that keeps so many frames of each id.",
  "can.Monitor:pop(ids: integer[]): table<integer, string>?, string?":
    "Returns the latest frames in the order of the ids, nil where none has arrived.",
  "can.Queue:pop(id: integer): string[]?, string?": "Returns all frames of an id, oldest first.",
  "can.Queue:drops_count(id: integer): integer?, string?": "Returns how many frames were dropped since the last call.",
};
