/**
 * How many random cases a test tries: `usual` in `npm test`, where each change pays for them, and CASES times as many in
 * `npm run test:long cases`.
 */
export const cases = (usual: number): number => usual * Number(process.env.CASES ?? 1)
