import { useMutation } from '@tanstack/react-query'
import { useConfig } from 'wagmi'
import { disconnectAll } from './disconnectAll.ts'

export function useDisconnectAll() {
  const config = useConfig()
  return useMutation({ retry: false, mutationFn: () => disconnectAll(config) })
}
