/** The part of the reference implementation of UCUM that tests compare with. */
declare module "@lhncbc/ucum-lhc" {
  interface ReferenceUnit {
    readonly csCode_: string;
    readonly magnitude_: number;
    readonly cnv_: string | null;
    readonly isArbitrary_: boolean;
  }
  const ucum: {
    readonly UcumLhcUtils: { getInstance(): { validateUnitString(code: string): { readonly status: string } } };
    readonly UnitTables: { getInstance(): { readonly unitCodes_: Readonly<Record<string, ReferenceUnit>> } };
  };
  export default ucum;
}
