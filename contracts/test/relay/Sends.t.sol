// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {Relay} from "../../src/Relay.sol";
import {Vm} from "../base/Vm.sol";
import {CallRecorder, DataBomb, GasBurner, GasRecorder} from "../mocks/Hostile.sol";
import {RelayTest} from "./RelayTest.sol";

contract SendsTest is RelayTest {
    uint256 private constant CAP = 100_000;
    uint256 private constant OVERHEAD = 6_000;
    uint160 private constant COLD = 0xb0000000;

    function setUp() public override {
        super.setUp();
        // In setUp, so that these accounts are cold during the tests.
        bytes memory code = address(new GasBurner()).code;
        for (uint160 i = 0; i < 100; ++i) {
            vm.etch(address(COLD + i), code);
        }
    }

    function _pack(uint256 key, address target, address to, uint64 amount, uint64 nonce, uint48 deadline)
        private
        view
        returns (bytes memory)
    {
        (bytes32 r, bytes32 vs) = signSend(key, target, to, amount, nonce, deadline);
        return abi.encodePacked(target, to, amount, nonce, deadline, r, vs);
    }

    function _good(uint32 sequence) private view returns (bytes memory) {
        return _pack(SESSION, address(wallet), RECIPIENT, 10, nonceOf(1, sequence), DEADLINE);
    }

    /// @dev An item that fails; `kind` selects why.
    function _bad(uint256 kind, uint32 sequence) private returns (bytes memory) {
        uint64 nonce = nonceOf(1, sequence);
        kind %= 9;
        if (kind == 0) return _pack(CLAIM, address(wallet), RECIPIENT, 10, nonce, DEADLINE); // wrong signer
        if (kind == 1) return _pack(SESSION, address(wallet), RECIPIENT, LIMIT + 1, nonce, DEADLINE); // over the limit
        if (kind == 2) return _pack(SESSION, address(wallet), RECIPIENT, 10, nonce, START - 1); // expired
        if (kind == 3) return _pack(SESSION, address(0xc0de1e55), RECIPIENT, 10, nonce, DEADLINE); // no code
        if (kind == 4) return _pack(SESSION, address(wallet), address(0), 10, nonce, DEADLINE); // bad recipient
        if (kind == 5) return _pack(SESSION, address(wallet), address(usdc), 10, nonce, DEADLINE); // blacklisted
        if (kind == 6) return _pack(SESSION, address(new GasBurner()), RECIPIENT, 10, nonce, DEADLINE);
        if (kind == 7) return _pack(SESSION, address(new DataBomb(true)), RECIPIENT, 10, nonce, DEADLINE);
        return _pack(SESSION, address(wallet), RECIPIENT, 10, nonceOf(0, sequence), DEADLINE); // another epoch
    }

    function testFuzz_sends_paysEveryGoodItem_besideBadOnes(uint256 seed, uint8 size) public {
        uint256 count = bound(size, 1, 24);
        uint256 expected;
        uint256 good;
        bytes memory batch;
        for (uint32 i = 0; i < count; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            if (seed % 3 == 0) {
                expected |= 1 << i;
                batch = bytes.concat(batch, _bad(seed >> 8, i));
            } else {
                good += 1;
                batch = bytes.concat(batch, _good(i));
            }
        }
        vm.recordLogs();
        vm.assertEq(relay.sends(CAP, batch), expected);
        vm.assertEq(usdc.balanceOf(RECIPIENT), good * 10);

        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 reported;
        for (uint256 i = 0; i < logs.length; ++i) {
            if (logs[i].emitter == address(relay)) reported |= 1 << abi.decode(logs[i].data, (uint256));
        }
        vm.assertEq(reported, expected);
    }

    function test_sends_forwardsEveryFieldExactly() public {
        uint48 deadline = type(uint48).max;
        vm.prank(vm.addr(OWNER));
        wallet.setSession(vm.addr(SESSION), type(uint48).max, 0, type(uint40).max);
        mint(address(wallet), type(uint64).max);
        bytes memory batch =
            _pack(SESSION, address(wallet), address(type(uint160).max), type(uint48).max, nonceOf(2, 1), deadline);
        vm.assertEq(relay.sends(CAP, batch), 0);
        vm.assertEq(usdc.balanceOf(address(type(uint160).max)), type(uint48).max);
    }

    function test_sends_callsTheWalletWithTheEncodedSend_andNothingMore() public {
        CallRecorder recorder = new CallRecorder();
        uint64 amount = type(uint64).max;
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(recorder), RECIPIENT, amount, nonceOf(1, 0), DEADLINE);
        bytes memory batch = abi.encodePacked(recorder, RECIPIENT, amount, nonceOf(1, 0), DEADLINE, r, vs);
        vm.assertEq(relay.sends(CAP, batch), 0);
        bytes memory expected = abi.encodeCall(AgentWallet.send, (RECIPIENT, amount, nonceOf(1, 0), DEADLINE, r, vs));
        vm.assertEq(recorder.dataHash(), keccak256(expected));
    }

    function test_sends_emitsItemFailed() public {
        bytes memory batch = bytes.concat(_good(0), _bad(0, 1), _good(2));
        vm.expectEmit(address(relay));
        emit Relay.ItemFailed(1);
        vm.assertEq(relay.sends(CAP, batch), 2);
    }

    function test_sends_refusesTheSecondOfADuplicate() public {
        vm.assertEq(relay.sends(CAP, bytes.concat(_good(0), _good(0))), 2);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 10);
    }

    function test_sends_acceptsAnEmptyBatch() public {
        vm.assertEq(relay.sends(CAP, ""), 0);
    }

    function testFuzz_sends_reverts_whenNotWholeItems(uint16 length) public {
        vm.assume(length % 126 != 0);
        vm.expectRevert(abi.encodeWithSelector(Relay.MalformedBatch.selector, length));
        relay.sends(CAP, new bytes(length));
    }

    function test_sends_reverts_above256Items() public {
        vm.expectRevert(abi.encodeWithSelector(Relay.TooManyItems.selector, 257, 256));
        relay.sends(CAP, new bytes(257 * 126));
    }

    function test_sends_reverts_whenTheGasDoesNotCoverAllCaps() public {
        bytes memory data = abi.encodeCall(Relay.sends, (CAP, bytes.concat(_good(0), _good(1), _good(2))));
        vm.assertEq(callWithLeastGas(data, 4 * (CAP + OVERHEAD)), 0);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 30);
    }

    /// @dev The check divides the gas by 257, so a bound that is off by one refuses up to 257 gas that suffice.
    function test_sends_accept256Items_withJustEnoughGas() public {
        bytes memory data = abi.encodeCall(Relay.sends, (0, new bytes(256 * 126)));
        vm.assertEq(callWithLeastGas(data, 257 * OVERHEAD), type(uint256).max);
    }

    function test_sends_costAtMostTheOverhead_besidesTheCap() public {
        _gasOf(""); // The first call makes the relay warm.
        vm.assertLe(_gasOf(_packTo(address(COLD))) - _gasOf(""), OVERHEAD);
    }

    function _gasOf(bytes memory batch) private returns (uint256) {
        uint256 before = gasleft();
        relay.sends(0, batch);
        return before - gasleft();
    }

    function test_sends_reverts_whenTheCapOverflows() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        relay.sends(type(uint256).max, _good(0));
    }

    /// @dev The purpose of the gas check: with just enough gas, and in spite of the 63/64 rule, the last item still
    /// gets its whole cap after hostile items have burned theirs.
    function testFuzz_sends_givesTheLastItemItsCap_afterItemsThatBurnTheirs(uint8 size, uint256 gasCap) public {
        uint256 burners = bound(size, 0, 30);
        gasCap = bound(gasCap, 50_000, 400_000);
        address burner = address(new GasBurner());
        bytes memory batch;
        for (uint256 i = 0; i < burners; ++i) {
            batch = bytes.concat(batch, _packTo(burner));
        }
        _expectFullCapAfter(batch, burners, gasCap);
    }

    /// @dev The same with a hundred cold accounts, the worst case for an item's overhead.
    function test_sends_givesTheLastItemItsCap_afterAHundredColdBurners() public {
        bytes memory batch;
        for (uint160 i = 0; i < 100; ++i) {
            batch = bytes.concat(batch, _packTo(address(COLD + i)));
        }
        _expectFullCapAfter(batch, 100, 50_000);
    }

    function _packTo(address target) private pure returns (bytes memory) {
        return abi.encodePacked(target, new bytes(106));
    }

    function _expectFullCapAfter(bytes memory batch, uint256 burners, uint256 gasCap) private {
        GasRecorder last = new GasRecorder();
        bytes memory data = abi.encodeCall(Relay.sends, (gasCap, bytes.concat(batch, _packTo(address(last)))));
        vm.assertEq(callWithLeastGas(data, (burners + 2) * (gasCap + OVERHEAD)), (1 << burners) - 1);
        // The recorder uses some gas before it reads gasleft().
        vm.assertGe(last.received(), gasCap - 200);
    }

    function testFuzz_sends_costsAtMostTheCap_forAHostileItem(uint256 kind) public {
        address hostile = kind % 3 == 0
            ? address(new GasBurner())
            : kind % 3 == 1 ? address(new DataBomb(true)) : address(new DataBomb(false));
        bytes memory batch = bytes.concat(_pack(SESSION, hostile, RECIPIENT, 1, 0, DEADLINE), _good(0));
        uint256 before = gasleft();
        relay.sends(CAP, batch);
        vm.assertLt(before - gasleft(), 2 * CAP + 30_000);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 10);
    }

    /// @dev The relay can do nothing that a stranger cannot.
    function test_relay_hasNoPrivileges() public {
        bytes memory data = abi.encodeCall(AgentWallet.withdraw, (address(usdc), STRANGER, 1));
        vm.assertFalse(attempt(address(relay), address(wallet), data), "relay is an owner");
        vm.assertFalse(provider.isOperator(address(relay)), "relay is an operator");
    }

    function test_relay_refusesEth() public {
        vm.deal(address(this), 1 ether);
        (bool success,) = address(relay).call{value: 1}("");
        vm.assertFalse(success, "accepted ETH");
    }
}
