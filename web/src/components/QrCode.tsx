import { useQuery } from '@tanstack/react-query'

const border = 2

/** `text` as a QR code, drawn as one path: no HTML is ever built from strings. */
export function QrCode(props: { text: string; label: string }) {
  const { data } = useQuery({
    queryKey: ['qr', props.text],
    queryFn: async () => (await import('uqr')).encode(props.text, { ecc: 'M', border }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return <div className="aspect-square w-52 rounded-control bg-sunken" />
  const path = data.data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg
      viewBox={`0 0 ${data.size} ${data.size}`}
      role="img"
      aria-label={props.label}
      className="w-52 rounded-control bg-white"
    >
      <path d={path} fill="#1b1d1a" shapeRendering="crispEdges" />
    </svg>
  )
}
