// Goroutines on many threads, a child, a panic: Go's runtime makes its threads without the C library.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
)

func main() {
	var wait sync.WaitGroup
	sums := make([]int, 64)
	for k := range sums {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for j := 0; j < 100000; j++ {
				sums[k] += j % (k + 1)
			}
		}()
	}
	wait.Wait()
	fmt.Println(sums[:8])
	out, err := exec.Command("sh", "-c", "echo from a child; exit 3").Output()
	fmt.Print(string(out), err, "\n")
	if len(os.Args) > 1 {
		panic(os.Args[1])
	}
	os.Exit(11)
}
