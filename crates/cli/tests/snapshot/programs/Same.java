// Threads, a child, an exception that ends the program.
import java.util.stream.IntStream;

public class Same {
    public static void main(String[] words) throws Exception {
        System.out.println(IntStream.range(0, 100000).parallel().mapToLong(k -> k % 7).sum());
        Thread thread = new Thread(() -> System.out.println("in a thread"));
        thread.start();
        thread.join();
        Process child = new ProcessBuilder("sh", "-c", "exit 3").start();
        System.out.println(child.waitFor());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("at the end")));
        System.exit(14);
    }
}
