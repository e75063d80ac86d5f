import { queryOptions } from '@tanstack/react-query'
import { api } from '../lib/api.ts'

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => api('GET /overview', { signal }),
})
