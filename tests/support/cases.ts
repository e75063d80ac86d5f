/**
 * The number of random cases in a test: `usual` in `npm test`, which runs for each change, and CASES times as many in
 * `npm run test:long cases`.
 */
export const cases = (usual: number): number => usual * Number(process.env.CASES ?? 1)
