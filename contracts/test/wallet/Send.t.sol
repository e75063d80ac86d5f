// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import {AgentWallet} from "../../src/AgentWallet.sol";
import {IAgentWallet} from "../../src/IAgentWallet.sol";
import {SendWindow} from "../../src/SendWindow.sol";
import {Base} from "../base/Base.sol";
import {Vm} from "../base/Vm.sol";

contract SendTest is Base {
    uint64 private constant FIRST = 1 << 32;

    function test_send_paysAndCounts() public {
        send(RECIPIENT, 2_500_000, FIRST);

        vm.assertEq(usdc.balanceOf(RECIPIENT), 2_500_000);
        AgentWallet.State memory state = wallet.state();
        vm.assertEq(state.remaining, LIMIT - 2_500_000);
        vm.assertEq(state.top, FIRST);
        vm.assertEq(state.seen, 1);
        vm.assertEq(state.balance, FUNDS - 2_500_000);
    }

    function test_send_emitsNonceDirectlyBeforeTransfer() public {
        vm.recordLogs();
        send(RECIPIENT, 7, FIRST + 5);

        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        vm.assertEq(logs[0].emitter, address(wallet));
        vm.assertEq(logs[0].topics.length, 1);
        vm.assertEq(uint256(logs[0].topics[0]), FIRST + 5);
        vm.assertEq(logs[0].data.length, 0);
        vm.assertEq(logs[1].emitter, address(usdc));
        vm.assertEq(logs[1].topics[0], keccak256("Transfer(address,address,uint256)"));
        vm.assertEq(logs[1].topics[1], bytes32(uint256(uint160(address(wallet)))));
        vm.assertEq(logs[1].topics[2], bytes32(uint256(uint160(RECIPIENT))));
        vm.assertEq(abi.decode(logs[1].data, (uint256)), 7);
    }

    function testFuzz_send_paysExactlyWhatWasSigned(address to, uint64 amount, uint32 sequence) public {
        vm.assume(to != address(0) && to != address(wallet) && to != address(usdc));
        amount = uint64(bound(amount, 1, LIMIT));
        uint256 before = usdc.balanceOf(to);
        send(to, amount, FIRST | sequence);

        vm.assertEq(usdc.balanceOf(to), before + amount);
        vm.assertEq(wallet.state().remaining, LIMIT - amount);
        vm.assertEq(wallet.state().top, FIRST | sequence);
    }

    function test_send_spendsTheLastMicroUsdc() public {
        send(RECIPIENT, LIMIT, FIRST);
        vm.assertEq(wallet.state().remaining, 0);
    }

    function test_send_reverts_oneMicroUsdcOverTheLimit() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, LIMIT + 1, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(SendWindow.OverLimit.selector, LIMIT + 1, LIMIT));
        wallet.send(RECIPIENT, LIMIT + 1, FIRST, DEADLINE, r, vs);
    }

    function test_send_reverts_whenReplayed() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);

        vm.expectRevert(abi.encodeWithSelector(SendWindow.NonceUnusable.selector, FIRST, FIRST));
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);
    }

    function test_send_acceptsOutOfOrder() public {
        send(RECIPIENT, 1, FIRST + 127);
        send(RECIPIENT, 1, FIRST);
        send(RECIPIENT, 1, FIRST + 64);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 3);
    }

    function test_send_reverts_whenTheNonceIsBelowTheWindow() public {
        send(RECIPIENT, 1, FIRST + 128);

        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(SendWindow.NonceUnusable.selector, FIRST, FIRST + 128));
        wallet.send(RECIPIENT, 1, FIRST, DEADLINE, r, vs);
    }

    function test_send_reachesTheLastSequenceOfAnEpoch() public {
        uint64 last = nonceOf(1, type(uint32).max);
        send(RECIPIENT, 1, last);
        send(RECIPIENT, 1, last - 127);
        vm.assertEq(wallet.state().epoch, 1);

        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, last + 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 2, 1));
        wallet.send(RECIPIENT, 1, last + 1, DEADLINE, r, vs);
    }

    function test_send_reverts_withANonceOfAnotherEpoch() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, 7, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongEpoch.selector, 0, 1));
        wallet.send(RECIPIENT, 1, 7, DEADLINE, r, vs);
    }

    function test_send_acceptsTheDeadlineSecond() public {
        vm.warp(DEADLINE);
        send(RECIPIENT, 1, FIRST);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 1);
    }

    function test_send_reverts_afterTheDeadline() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, FIRST, DEADLINE);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.SignatureExpired.selector, DEADLINE, DEADLINE + 1));
        wallet.send(RECIPIENT, 1, FIRST, DEADLINE, r, vs);
    }

    function test_send_acceptsTheLastSecondOfTheSession() public {
        vm.warp(VALID_UNTIL);
        send(SESSION, RECIPIENT, 1, FIRST, VALID_UNTIL + 300);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 1);
    }

    function test_send_reverts_afterTheSession() public {
        uint48 deadline = VALID_UNTIL + 300;
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, FIRST, deadline);
        vm.warp(uint256(VALID_UNTIL) + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IAgentWallet.SessionExpired.selector, VALID_UNTIL, uint256(VALID_UNTIL) + 1)
        );
        wallet.send(RECIPIENT, 1, FIRST, deadline, r, vs);
    }

    function test_send_reverts_whenZeroAmount() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 0, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.ZeroAmount.selector));
        wallet.send(RECIPIENT, 0, FIRST, DEADLINE, r, vs);
    }

    function test_send_reverts_whenToZero() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), address(0), 1, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidRecipient.selector, address(0)));
        wallet.send(address(0), 1, FIRST, DEADLINE, r, vs);
    }

    function test_send_reverts_whenToItself() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), address(wallet), 1, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.InvalidRecipient.selector, address(wallet)));
        wallet.send(address(wallet), 1, FIRST, DEADLINE, r, vs);
    }

    function testFuzz_send_reverts_whenSignedByAnotherKey(uint256 key) public {
        key = bound(key, 1, 1 << 250);
        vm.assume(key != SESSION);
        (bytes32 r, bytes32 vs) = signSend(key, address(wallet), RECIPIENT, 1, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.WrongSigner.selector, vm.addr(key), vm.addr(SESSION)));
        wallet.send(RECIPIENT, 1, FIRST, DEADLINE, r, vs);
    }

    /// @dev With a changed argument, the signature recovers to another key or to none.
    function testFuzz_send_reverts_whenAnArgumentWasChanged(address to, uint64 amount, uint32 sequence, uint48 deadline)
        public
    {
        vm.assume(to != RECIPIENT || amount != 5 || sequence != 0 || deadline != DEADLINE);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.send, (to, amount, FIRST | sequence, deadline, r, vs));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted");
        vm.assertEq(usdc.balanceOf(address(wallet)), FUNDS);
    }

    function test_send_reverts_onAnotherWalletOfTheSameKeys() public {
        AgentWallet twin = create(bytes32(uint256(1)));
        mint(address(twin), FUNDS);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, FIRST, DEADLINE, r, vs));
        vm.assertFalse(attempt(STRANGER, address(twin), data), "replayed on a twin");
        vm.assertTrue(attempt(STRANGER, address(wallet), data), "refused where it was signed for");
    }

    function test_send_reverts_onAnotherChain() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        bytes memory data = abi.encodeCall(AgentWallet.send, (RECIPIENT, 5, FIRST, DEADLINE, r, vs));
        vm.chainId(84_532);
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "replayed on another chain");
        vm.chainId(8453);
        vm.assertTrue(attempt(STRANGER, address(wallet), data), "refused where it was signed for");
    }

    function test_send_reverts_whenSignatureIsZero() public {
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignature.selector));
        wallet.send(RECIPIENT, 1, FIRST, DEADLINE, 0, 0);
    }

    /// @dev ecrecover accepts the malleated form (n − s, opposite parity) of every signature.
    function test_send_reverts_whenHighS() public {
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 1, FIRST, DEADLINE);
        uint256 order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        uint256 parity = uint256(vs) >> 255;
        uint256 high = order - (uint256(vs) & (type(uint256).max >> 1));
        // The compact form stores the parity in the top bit of s, so it cannot express most high values of s.
        bytes32 twin = bytes32((high & (type(uint256).max >> 1)) | ((1 - parity) << 255));
        bytes memory data = abi.encodeCall(AgentWallet.send, (RECIPIENT, 1, FIRST, DEADLINE, r, twin));
        vm.assertFalse(attempt(STRANGER, address(wallet), data), "accepted a malleated signature");
        bytes32 highest = bytes32(uint256(0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A1));
        vm.expectRevert(abi.encodeWithSelector(ECDSA.ECDSAInvalidSignatureS.selector, highest));
        wallet.send(RECIPIENT, 1, FIRST, DEADLINE, r, highest);
    }

    function test_send_keepsTheNonce_whenUsdcReverts() public {
        setBlacklisted(RECIPIENT, true);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Blacklistable: account is blacklisted"));
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);
        vm.assertEq(wallet.state().remaining, LIMIT);
        vm.assertEq(wallet.state().seen, 0);

        setBlacklisted(RECIPIENT, false);
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5);
    }

    function test_send_keepsTheNonce_whenUsdcIsPaused() public {
        vm.prank(ADMIN);
        usdc.pause();
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Pausable: paused"));
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);

        vm.prank(ADMIN);
        usdc.unpause();
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);
        vm.assertEq(usdc.balanceOf(RECIPIENT), 5);
    }

    function test_send_keepsTheNonce_whenTheWalletIsEmpty() public {
        vm.prank(vm.addr(OWNER));
        wallet.withdraw(address(usdc), STRANGER, FUNDS);
        (bytes32 r, bytes32 vs) = signSend(SESSION, address(wallet), RECIPIENT, 5, FIRST, DEADLINE);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "ERC20: transfer amount exceeds balance"));
        wallet.send(RECIPIENT, 5, FIRST, DEADLINE, r, vs);
        vm.assertEq(wallet.state().seen, 0);
    }

    function test_send_reverts_whenTheImplementationIsCalled() public {
        address implementation = address(factory.IMPLEMENTATION());
        mint(implementation, 10);
        (bytes32 r, bytes32 vs) = signSend(SESSION, implementation, RECIPIENT, 5, 0, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IAgentWallet.SessionExpired.selector, 0, START));
        AgentWallet(implementation).send(RECIPIENT, 5, 0, DEADLINE, r, vs);
    }
}
