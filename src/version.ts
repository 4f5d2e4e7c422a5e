/** The version of this program; `npm run check` holds it to package.json's. */
export const VERSION: string = "0.1.0"
