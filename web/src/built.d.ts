/** Modules that `web/build` makes. */
declare module 'virtual:icons' {
  /** The codes of countries, separated by blanks. */
  export const flags: { hash: string; codes: string };
  /** The names of those that are black. */
  export const marks: { hash: string; dark: string[] };
}

declare module 'virtual:world' {
  /** Countries as paths, and those that are too small as dots. */
  export const world: {
    width: number;
    height: number;
    areas: [code: string, path: string][];
    dots: [code: string, x: number, y: number][];
  };
}

declare module 'virtual:regions' {
  /** The codes of the countries with a file, separated by blanks. */
  export const regions: { hash: string; codes: string };
}
