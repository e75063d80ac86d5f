import type { Failure } from '#schemas/common.ts'
import { type Args, type FileCall, requestOf } from './api.ts'
import { apiErrorOf } from './apiError.ts'
import { http } from './http.ts'
import { renewIfExpiring } from './renewal.ts'

/** Like `api`, for a call that returns a file. */
export async function apiFile<Call extends FileCall>(call: Call, ...input: Args<Call>): Promise<Blob> {
  await renewIfExpiring()
  const response = await http.send(...requestOf(call, input[0]))
  if (response.ok) return response.blob()
  throw apiErrorOf(response, (await response.json().catch(() => null)) as Failure | null)
}
