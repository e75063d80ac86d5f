export const appName = 'Bursar'
export const tagline = 'Make your agents pay.'
