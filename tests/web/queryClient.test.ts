import { expect, test } from 'vitest'
import { ApiError } from '#web/lib/apiError.ts'
import { queryClient } from '#web/lib/queryClient.ts'

test('queries and mutations retry once unless refused, without refetch on focus and with a five-minute cache @api-client-10', () => {
  const { queries, mutations } = queryClient.getDefaultOptions()
  expect(queries).toMatchObject({ refetchOnWindowFocus: false, gcTime: 300_000 })
  for (const options of [queries, mutations]) {
    const retry = options!.retry as (failures: number, error: Error) => boolean
    for (const status of [0, 500, 502]) {
      const lost = new ApiError(status, 'x', 'no reply')
      expect([retry(0, lost), retry(1, lost)], String(status)).toEqual([true, false])
    }
    for (const status of [400, 401, 404, 422, 429]) expect(retry(0, new ApiError(status, 'x', 'no'))).toBe(false)
  }
})
