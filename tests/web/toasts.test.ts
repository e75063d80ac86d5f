import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { type Toast, toast, useToaster } from 'react-hot-toast/headless'
import { beforeEach, expect, test } from 'vitest'

let shown: Toast[]
const Probe = () => {
  shown = useToaster().toasts
  return null
}
const show = () => renderToString(createElement(Probe))

beforeEach(() => toast.remove())

test('blank, error and custom stay four seconds, success two, loading until dismissed @toasts-1', () => {
  toast('blank')
  toast.error('error')
  toast.custom('custom')
  toast.success('success')
  toast.loading('loading')
  show()
  expect(Object.fromEntries(shown.map(({ type, duration }) => [type, duration]))).toEqual({
    blank: 4_000,
    error: 4_000,
    custom: 4_000,
    success: 2_000,
    loading: Number.POSITIVE_INFINITY,
  })
})

test('at most twenty are held, the newest first @toasts-2', () => {
  for (let i = 1; i <= 25; i++) toast(`message ${i}`)
  show()
  expect(shown).toHaveLength(20)
  expect(shown[0]?.message).toBe('message 25')
})
