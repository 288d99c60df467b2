package config

// Empty returns a configuration in which nobody has said anything: no file, no variable, no key.
func Empty() *Config {
	c := &Config{env: func(string) string { return "" }, keys: &Keys{}, own: settings{}, all: settings{}}
	c.fill()
	return c
}
