import { useMutation } from '@tanstack/react-query'
import { useConfig } from 'wagmi'
import { disconnect, getConnections } from 'wagmi/actions'

/** Disconnects every wallet, so that no other one takes the place of the one that was shown. */
export function useDisconnectAll() {
  const config = useConfig()
  return useMutation({
    retry: false,
    mutationFn: async () => {
      for (const { connector } of getConnections(config)) await disconnect(config, { connector })
    },
  })
}
