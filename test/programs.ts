/** The Debian package of each program that tests run beside prepd. */
const PACKAGES: Readonly<Record<string, string>> = {
  bash: 'bash',
  caddy: 'caddy',
  chroot: 'coreutils',
  dpkg: 'dpkg',
  'dpkg-deb': 'dpkg',
  ldd: 'libc-bin',
  nginx: 'nginx',
  node: 'nodejs',
  openssl: 'openssl',
  python3: 'python3-cryptography',
  setpriv: 'util-linux',
  'systemd-analyze': 'systemd',
  tar: 'tar',
  unshare: 'util-linux',
  unzip: 'unzip',
}

/** The path of a program that a test runs. Throws when it is not installed, naming the command that installs it. */
export function needProgram(name: string): string {
  const path = Bun.which(name)
  if (path !== null) return path
  throw new Error(`${name} is missing: apt-get install ${PACKAGES[name] ?? name}`)
}
