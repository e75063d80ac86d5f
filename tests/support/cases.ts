/**
 * The number of random cases in a test: `usual` in `npm test`, `inAll` with --all, and CASES times as many in
 * `npm run test:long cases`.
 */
export const cases = (usual: number, inAll = usual): number =>
  (process.env.ALL_TESTS ? inAll : usual) * Number(process.env.CASES ?? 1)
